import { EXIT } from '../exit-codes.ts'

const QUESTION = 'Stop the service and take its unit and the executable away? Its data stays.'

/** Takes the service away, once that was confirmed, and says what is still there. */
export async function serviceUninstall({
  isInstalled,
  uninstall,
  confirm,
  json,
  print,
  complain,
}: {
  isInstalled: boolean
  uninstall: () => Promise<{
    readonly removed: readonly string[]
    readonly kept: readonly string[]
  }>
  confirm: (question: string) => Promise<boolean>
  json: boolean
  print: (text: string) => void
  complain: (text: string) => void
}): Promise<number> {
  if (isInstalled && !(await confirm(QUESTION))) {
    complain('alibi: nothing was changed')
    return EXIT.failed
  }
  const { removed, kept } = await uninstall()
  if (json) print(JSON.stringify({ removed, kept }))
  else {
    if (removed.length === 0) print('The service is not installed.')
    for (const path of removed) print(`removed  ${path}`)
    for (const path of kept) print(`kept     ${path}`)
  }
  return EXIT.done
}
