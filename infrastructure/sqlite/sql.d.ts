/** SQL files are imported as text, so that the executable carries them. */
declare module '*.sql' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import attribute of type text gives a default export
  export default text
}
