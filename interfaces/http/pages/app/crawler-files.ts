import { FOLDERS } from '../../paths.ts'
import { html, renderHtml } from '../html.ts'
import { type AppAddresses, alternatesOf } from './addresses.ts'

/**
 * `/robots.txt` (RFC 9309). It never forbids to read a page that says `noindex`, such as `/app` where it is not to be
 * listed: a crawler that may not read a page does not see that either, and lists its bare address when another site
 * links to it. Pages of single payments are linked from nowhere, and a visit to one asks the payment provider.
 */
export function robotsText({ sitemap }: { sitemap: string | null }): string {
  return [
    'User-agent: *',
    'Disallow: /payment/',
    `Disallow: ${FOLDERS.sandbox.path}`,
    ...(sitemap === null ? [] : ['', `Sitemap: ${sitemap}`]),
    '',
  ].join('\n')
}

/** `/sitemap.xml` (sitemaps.org): each address of the app page, and with it those of the other languages. */
export function sitemapText(addresses: AppAddresses): string {
  const alternates = alternatesOf(addresses)
  const links = alternates.map(
    ({ hreflang, address }) =>
      html`<xhtml:link rel="alternate" hreflang="${hreflang}" href="${address}"/>\n`,
  )
  return renderHtml(html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${alternates.map(({ address }) => html`<url>\n<loc>${address}</loc>\n${links}</url>\n`)}</urlset>
`)
}
