/** The unit and the settings file are imported as text, so that the executable carries them. */
declare module '*.service' {
  const text: string
  export = text
}
declare module '*.env' {
  const text: string
  export = text
}
