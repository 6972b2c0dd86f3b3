import { CHOICE_STRINGS } from './choice-strings.ts'
import type { StringEntry } from './string-entry.ts'

const BUTTON_MAX = 40
const LABEL_MAX = 50
const HEADING_MAX = 70
const SENTENCE_MAX = 200

/**
 * Every string that pages, mails and clients say, by group and key, in the order of the content files. `{title}` is the
 * string `title`: it is put in when the content is loaded, so that an operator changes the name of the product once.
 */
export const STRING_GROUPS = {
  /** What is sold. All other groups hold for any product. */
  product: {
    title: { meaning: 'The name of the product', lengthMax: 30, sameEverywhere: true },
    subtitle: { meaning: 'What it is for, below the name', lengthMax: 80 },
    pitch: { meaning: 'Beside the buy button: what a buyer gets', lengthMax: 120 },
    generate: { meaning: 'Button: shows the first excuse', lengthMax: BUTTON_MAX },
    another: { meaning: 'Button: shows the next excuse', lengthMax: BUTTON_MAX },
    reason_label: { meaning: 'Heading above the excuse', lengthMax: LABEL_MAX },
  },
  choice: CHOICE_STRINGS,
  page: {
    language: { meaning: 'Label of the menu of languages', lengthMax: 20 },
    loading: { meaning: 'An answer is awaited', lengthMax: BUTTON_MAX },
    still_loading: { meaning: 'As `loading`, after some seconds', lengthMax: 100 },
    retry: { meaning: 'Button: does the same again', lengthMax: BUTTON_MAX },
    back: { meaning: 'Link: to the page before', lengthMax: BUTTON_MAX },
    open_app: {
      meaning: 'Link: from another page to the product',
      lengthMax: LABEL_MAX,
    },
    skip_to_content: {
      meaning: 'First link of a page, for keyboards and screen readers: past the header',
      lengthMax: LABEL_MAX,
    },
    for_developers: { meaning: 'Link: to the reference of the API', lengthMax: BUTTON_MAX },
    needs_javascript: { meaning: 'The browser runs no scripts', lengthMax: SENTENCE_MAX },
  },
  sign_in: {
    sign_in: { meaning: 'Button and heading', lengthMax: BUTTON_MAX },
    already_bought: { meaning: 'Before the link to sign in', lengthMax: 100 },
    email_label: { meaning: 'Label of the field', lengthMax: LABEL_MAX },
    email_placeholder: {
      meaning: 'An address as an example; the domain is always example.com (RFC 2606)',
      lengthMax: LABEL_MAX,
      sameEverywhere: true,
    },
    email_hint: { meaning: 'Below the field: what happens next', lengthMax: SENTENCE_MAX },
    send_code: { meaning: 'Button: the first code', lengthMax: BUTTON_MAX },
    code_sent: {
      meaning: 'Above the field of the code',
      lengthMax: 120,
      placeholders: ['email'],
    },
    code_label: { meaning: 'Label of the field', lengthMax: LABEL_MAX },
    code_hint: { meaning: 'Below the field: where the mail may be', lengthMax: SENTENCE_MAX },
    confirm: { meaning: 'Button: sends the typed code', lengthMax: BUTTON_MAX },
    resend_code: { meaning: 'Button: another mail', lengthMax: BUTTON_MAX },
    resend_wait: {
      meaning: 'In place of `resend_code` until {duration}, such as “42 seconds”, has passed',
      lengthMax: 120,
      placeholders: ['duration'],
    },
    change_email: { meaning: 'Link: back to the field of the address', lengthMax: BUTTON_MAX },
    tries_left: {
      meaning: 'After a wrong code: how often another may be typed',
      lengthMax: 100,
      placeholders: ['count'],
      plural: true,
    },
    email_confirmed: { meaning: 'The code was right', lengthMax: 100 },
    development_code: {
      meaning: 'In development, where mails go to the console: the code itself',
      lengthMax: 100,
      placeholders: ['code'],
    },
    signed_in_as: { meaning: 'Above the product', lengthMax: 80, placeholders: ['email'] },
    sign_out: { meaning: 'Button: on this device', lengthMax: BUTTON_MAX },
    sign_out_everywhere: { meaning: 'Button: on all devices', lengthMax: LABEL_MAX },
    signed_out: { meaning: 'After `sign_out`', lengthMax: 100 },
    signed_out_everywhere: { meaning: 'After `sign_out_everywhere`', lengthMax: 100 },
  },
  purchase: {
    buy: { meaning: 'Button and heading, without the price', lengthMax: BUTTON_MAX },
    buy_for: {
      meaning: 'Button: on to the payment page; {price} is an amount with its currency',
      lengthMax: 60,
      placeholders: ['price'],
    },
    buy_hint: { meaning: 'Below the button: once, no subscription', lengthMax: SENTENCE_MAX },
    to_payment: { meaning: 'The payment page is about to open', lengthMax: 100 },
    premium_active: { meaning: 'The address has access', lengthMax: 100 },
    samples_label: {
      meaning: 'Heading above what anybody may read before buying, one after the other',
      lengthMax: LABEL_MAX,
    },
    sample_next: { meaning: 'Button: shows the next of them', lengthMax: BUTTON_MAX },
  },
  result: {
    copy: { meaning: 'Button: to the clipboard', lengthMax: BUTTON_MAX },
    copied: { meaning: 'After `copy`', lengthMax: BUTTON_MAX },
    copy_failed: { meaning: 'The browser forbids `copy`', lengthMax: 120 },
    share: { meaning: 'Button: the share sheet of the device', lengthMax: BUTTON_MAX },
    latest_label: { meaning: 'Heading above the last ten excuses', lengthMax: LABEL_MAX },
    favourites_label: {
      meaning: 'Heading above the excuses that the reader has kept',
      lengthMax: LABEL_MAX,
    },
    favourite_add: { meaning: 'Button: keeps the excuse', lengthMax: BUTTON_MAX },
    favourite_remove: { meaning: 'Button: keeps it no longer', lengthMax: BUTTON_MAX },
    dislike: {
      meaning: 'Button: this browser never shows the excuse again',
      lengthMax: BUTTON_MAX,
    },
    disliked: { meaning: 'After `dislike`', lengthMax: 100 },
    undo: { meaning: 'Button beside `disliked`: shows it again', lengthMax: BUTTON_MAX },
  },
  errors: {
    error_invalid_email: { meaning: '400 Invalid email', lengthMax: SENTENCE_MAX },
    error_invalid_code: { meaning: '401 Invalid or expired code', lengthMax: SENTENCE_MAX },
    error_code_incomplete: {
      meaning: 'What was typed as a code is not six digits',
      lengthMax: SENTENCE_MAX,
    },
    error_code_used_up: {
      meaning: '401 Invalid or expired code, when no tries are left',
      lengthMax: SENTENCE_MAX,
    },
    error_invalid_request: {
      meaning: '400 Invalid request, 400 Invalid JSON, 413, 415',
      lengthMax: SENTENCE_MAX,
    },
    error_session_expired: {
      meaning: '401 Missing token, 401 Invalid or expired token: why, and the way on',
      lengthMax: SENTENCE_MAX,
    },
    error_premium_required: { meaning: '403 Premium access required', lengthMax: SENTENCE_MAX },
    error_email_not_verified: { meaning: '403 Email not verified', lengthMax: SENTENCE_MAX },
    error_premium_active: { meaning: '409 Premium access already active', lengthMax: SENTENCE_MAX },
    error_payment_processing: { meaning: '409 Payment processing', lengthMax: SENTENCE_MAX },
    error_too_many_requests: {
      meaning: '429; {duration}, such as “10 minutes”, is the time of its Retry-After',
      lengthMax: SENTENCE_MAX,
      placeholders: ['duration'],
    },
    error_email_unavailable: { meaning: '503 Email delivery unavailable', lengthMax: SENTENCE_MAX },
    error_payment_unavailable: {
      meaning: '503 Payment provider unavailable',
      lengthMax: SENTENCE_MAX,
    },
    error_unavailable: { meaning: '503 Temporarily unavailable', lengthMax: SENTENCE_MAX },
    error_network: { meaning: 'The server cannot be reached', lengthMax: SENTENCE_MAX },
    error_timeout: { meaning: 'The server does not answer in time', lengthMax: SENTENCE_MAX },
    error_not_found: { meaning: '404 Endpoint not found', lengthMax: SENTENCE_MAX },
    error_server: { meaning: '500 Internal server error', lengthMax: SENTENCE_MAX },
    error_reference: {
      meaning: 'Below an error: the id of the request, for whoever asks the operator for help',
      lengthMax: 60,
      placeholders: ['id'],
    },
  },
  payment_pages: {
    payment_active_title: { meaning: 'The payment has arrived', lengthMax: HEADING_MAX },
    payment_active_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_processing_title: { meaning: 'Paid, but not settled yet', lengthMax: HEADING_MAX },
    payment_processing_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_processing_later: { meaning: 'Below it, after minutes', lengthMax: SENTENCE_MAX },
    payment_unpaid_title: { meaning: 'Failed or expired', lengthMax: HEADING_MAX },
    payment_unpaid_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_ended_title: {
      meaning: 'Paid once, but refunded, charged back or revoked',
      lengthMax: HEADING_MAX,
    },
    payment_ended_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_invalid_title: {
      meaning: 'The address of the page is no link of ours',
      lengthMax: HEADING_MAX,
    },
    payment_invalid_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_unknown_title: { meaning: 'No such payment', lengthMax: HEADING_MAX },
    payment_unknown_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_unavailable_title: {
      meaning: 'The payment provider does not answer',
      lengthMax: HEADING_MAX,
    },
    payment_unavailable_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
    payment_cancel_title: { meaning: 'The buyer went back', lengthMax: HEADING_MAX },
    payment_cancel_text: { meaning: 'Below it', lengthMax: SENTENCE_MAX },
  },
  mails: {
    mail_code_subject: {
      meaning: 'Subject; opens with the code, which lists of mails and notifications then show',
      lengthMax: 80,
      placeholders: ['code'],
      opening: 'code',
    },
    mail_code_intro: { meaning: 'Before the code', lengthMax: 120 },
    mail_code_validity: {
      meaning: 'After the code; {duration} is “10 minutes” or the like',
      lengthMax: 120,
      placeholders: ['duration'],
    },
    mail_code_secrecy: {
      meaning: 'Nobody asks for a code',
      lengthMax: SENTENCE_MAX,
    },
    mail_code_ignore: { meaning: 'For whoever asked for no code', lengthMax: SENTENCE_MAX },
    mail_confirmed_subject: {
      meaning: 'Subject: the payment has arrived',
      lengthMax: 80,
    },
    mail_confirmed_intro: {
      meaning: 'Thanks; {amount} has its currency',
      lengthMax: SENTENCE_MAX,
      placeholders: ['amount'],
    },
    mail_confirmed_access: {
      meaning: 'How to use it; {url} gets a line of its own, at the end',
      lengthMax: SENTENCE_MAX,
      placeholders: ['url'],
    },
    mail_confirmed_sample: {
      meaning: 'What was bought, as a sample; {reason} is a whole text, so that nothing follows it',
      lengthMax: 120,
      placeholders: ['reason'],
    },
    mail_failed_subject: {
      meaning: 'Subject: a delayed payment has failed',
      lengthMax: 80,
    },
    mail_failed_intro: {
      meaning: 'What happened; {amount} has its currency',
      lengthMax: SENTENCE_MAX,
      placeholders: ['amount'],
    },
    mail_failed_retry: {
      meaning: 'How to try again; {url} gets a line of its own, at the end',
      lengthMax: SENTENCE_MAX,
      placeholders: ['url'],
    },
  },
} as const satisfies Record<string, Record<string, StringEntry>>
