// The grammar of addresses: RFC 3986, section 3.2.2, with its names.
const DEC_OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `${DEC_OCTET}(?:\\.${DEC_OCTET}){3}`
const H16 = '[0-9a-f]{1,4}'
const LS32 = `(?:${H16}:${H16}|${IPV4})`
const IPV6 = [
  `(?:${H16}:){6}${LS32}`,
  `::(?:${H16}:){5}${LS32}`,
  `(?:${H16})?::(?:${H16}:){4}${LS32}`,
  `(?:(?:${H16}:){0,1}${H16})?::(?:${H16}:){3}${LS32}`,
  `(?:(?:${H16}:){0,2}${H16})?::(?:${H16}:){2}${LS32}`,
  `(?:(?:${H16}:){0,3}${H16})?::${H16}:${LS32}`,
  `(?:(?:${H16}:){0,4}${H16})?::${LS32}`,
  `(?:(?:${H16}:){0,5}${H16})?::${H16}`,
  `(?:(?:${H16}:){0,6}${H16})?::`,
].join('|')
/** RFC 4007, section 11. */
const ZONE = '%[0-9a-z.:-]+'

const VERSION_4 = new RegExp(`^${IPV4}$`)
const VERSION_6 = new RegExp(`^(?:${IPV6})(?:${ZONE})?$`, 'i')

/** The version of the internet protocol whose address a text is, with a zone or without; 0 where it is none. */
export function ipVersionOf(text: string): 4 | 6 | 0 {
  if (!text.includes(':')) return VERSION_4.test(text) ? 4 : 0
  return VERSION_6.test(text) ? 6 : 0
}

/** Whether a host's name or address, with or without the brackets of IPv6, means the machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[0-9.]+|::1|\[::1\])$/.test(host)
}
