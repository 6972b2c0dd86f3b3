// Files imported with { type: 'text' }.

declare module '*.svg' {
  const text: string
  export = text
}
