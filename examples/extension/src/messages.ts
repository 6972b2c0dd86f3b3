import type { Notice } from './storage.ts'

/** What the popup asks the background for: that goes on when the popup is closed, as it is by every other click. */
export type Message =
  | { readonly act: 'send-code'; readonly email: string }
  | { readonly act: 'confirm-code'; readonly code: string }
  | { readonly act: 'pay' | 'ask-for-token' | 'look-for-payment' | 'next-excuse' }
  | { readonly act: 'sign-out'; readonly everywhere: boolean }
  | { readonly act: 'language-changed' }

/** Null when all went well. */
export type Reply = Notice | null
