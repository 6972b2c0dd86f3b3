import { CHOICE_STRINGS } from './choice-strings.ts'
import { entry } from './string-entry.ts'

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
    title: entry(30, 'The name of the product', { sameEverywhere: true }),
    subtitle: entry(80, 'What it is for, below the name'),
    pitch: entry(120, 'Beside the buy button: what a buyer gets'),
    generate: entry(BUTTON_MAX, 'Button: shows the first excuse'),
    another: entry(BUTTON_MAX, 'Button: shows the next excuse'),
    reason_label: entry(LABEL_MAX, 'Heading above the excuse'),
  },
  choice: CHOICE_STRINGS,
  page: {
    language: entry(20, 'Label of the menu of languages'),
    loading: entry(BUTTON_MAX, 'An answer is awaited'),
    still_loading: entry(100, 'As `loading`, after some seconds'),
    retry: entry(BUTTON_MAX, 'Button: does the same again'),
    back: entry(BUTTON_MAX, 'Link: to the page before'),
    open_app: entry(LABEL_MAX, 'Link: from another page to the product'),
    skip_to_content: entry(
      LABEL_MAX,
      'First link of a page, for keyboards and screen readers: past the header',
    ),
    for_developers: entry(BUTTON_MAX, 'Link: to the reference of the API'),
    needs_javascript: entry(SENTENCE_MAX, 'The browser runs no scripts'),
  },
  sign_in: {
    sign_in: entry(BUTTON_MAX, 'Button and heading'),
    already_bought: entry(100, 'Before the link to sign in'),
    email_label: entry(LABEL_MAX, 'Label of the field'),
    email_placeholder: entry(
      LABEL_MAX,
      'An address as an example; the domain is always example.com (RFC 2606)',
      { sameEverywhere: true },
    ),
    email_hint: entry(SENTENCE_MAX, 'Below the field: what happens next'),
    send_code: entry(BUTTON_MAX, 'Button: the first code'),
    code_sent: entry(120, 'Above the field of the code', { placeholders: ['email'] }),
    code_label: entry(LABEL_MAX, 'Label of the field'),
    code_hint: entry(SENTENCE_MAX, 'Below the field: where the mail may be'),
    confirm: entry(BUTTON_MAX, 'Button: sends the typed code'),
    resend_code: entry(BUTTON_MAX, 'Button: another mail'),
    resend_wait: entry(
      120,
      'In place of `resend_code` until {duration}, such as “42 seconds”, has passed',
      { placeholders: ['duration'] },
    ),
    change_email: entry(BUTTON_MAX, 'Link: back to the field of the address'),
    tries_left: entry(100, 'After a wrong code: how often another may be typed', {
      placeholders: ['count'],
      plural: true,
    }),
    email_confirmed: entry(100, 'The code was right'),
    development_code: entry(100, 'In development, where mails go to the console: the code itself', {
      placeholders: ['code'],
    }),
    signed_in_as: entry(80, 'Above the product', { placeholders: ['email'] }),
    sign_out: entry(BUTTON_MAX, 'Button: on this device'),
    sign_out_everywhere: entry(LABEL_MAX, 'Button: on all devices'),
    signed_out: entry(100, 'After `sign_out`'),
    signed_out_everywhere: entry(100, 'After `sign_out_everywhere`'),
  },
  purchase: {
    buy: entry(BUTTON_MAX, 'Button and heading, without the price'),
    buy_for: entry(60, 'Button: on to the payment page; {price} is an amount with its currency', {
      placeholders: ['price'],
    }),
    buy_hint: entry(SENTENCE_MAX, 'Below the button: once, no subscription'),
    to_payment: entry(100, 'The payment page is about to open'),
    premium_active: entry(100, 'The address has access'),
    samples_label: entry(
      LABEL_MAX,
      'Heading above what anybody may read before buying, one after the other',
    ),
    sample_next: entry(BUTTON_MAX, 'Button: shows the next of them'),
  },
  result: {
    copy: entry(BUTTON_MAX, 'Button: to the clipboard'),
    copied: entry(BUTTON_MAX, 'After `copy`'),
    copy_failed: entry(120, 'The browser forbids `copy`'),
    share: entry(BUTTON_MAX, 'Button: the share sheet of the device'),
    latest_label: entry(LABEL_MAX, 'Heading above the last ten excuses'),
    favourites_label: entry(LABEL_MAX, 'Heading above the excuses that the reader has kept'),
    favourite_add: entry(BUTTON_MAX, 'Button: keeps the excuse'),
    favourite_remove: entry(BUTTON_MAX, 'Button: keeps it no longer'),
    dislike: entry(BUTTON_MAX, 'Button: this browser never shows the excuse again'),
    disliked: entry(100, 'After `dislike`'),
    undo: entry(BUTTON_MAX, 'Button beside `disliked`: shows it again'),
  },
  errors: {
    error_invalid_email: entry(SENTENCE_MAX, '400 Invalid email'),
    error_invalid_code: entry(SENTENCE_MAX, '401 Invalid or expired code'),
    error_code_incomplete: entry(SENTENCE_MAX, 'What was typed as a code is not six digits'),
    error_code_used_up: entry(SENTENCE_MAX, '401 Invalid or expired code, when no tries are left'),
    error_invalid_request: entry(SENTENCE_MAX, '400 Invalid request, 400 Invalid JSON, 413, 415'),
    error_session_expired: entry(
      SENTENCE_MAX,
      '401 Missing token, 401 Invalid or expired token: why, and the way on',
    ),
    error_premium_required: entry(SENTENCE_MAX, '403 Premium access required'),
    error_email_not_verified: entry(SENTENCE_MAX, '403 Email not verified'),
    error_premium_active: entry(SENTENCE_MAX, '409 Premium access already active'),
    error_payment_processing: entry(SENTENCE_MAX, '409 Payment processing'),
    error_too_many_requests: entry(
      SENTENCE_MAX,
      '429; {duration}, such as “10 minutes”, is the time of its Retry-After',
      { placeholders: ['duration'] },
    ),
    error_email_unavailable: entry(SENTENCE_MAX, '503 Email delivery unavailable'),
    error_payment_unavailable: entry(SENTENCE_MAX, '503 Payment provider unavailable'),
    error_unavailable: entry(SENTENCE_MAX, '503 Temporarily unavailable'),
    error_network: entry(SENTENCE_MAX, 'The server cannot be reached'),
    error_timeout: entry(SENTENCE_MAX, 'The server does not answer in time'),
    error_not_found: entry(SENTENCE_MAX, '404 Endpoint not found'),
    error_server: entry(SENTENCE_MAX, '500 Internal server error'),
    error_reference: entry(
      60,
      'Below an error: the id of the request, for whoever asks the operator for help',
      { placeholders: ['id'] },
    ),
  },
  payment_pages: {
    payment_active_title: entry(HEADING_MAX, 'The payment has arrived'),
    payment_active_text: entry(SENTENCE_MAX, 'Below it'),
    payment_processing_title: entry(HEADING_MAX, 'Paid, but not settled yet'),
    payment_processing_text: entry(SENTENCE_MAX, 'Below it'),
    payment_processing_later: entry(SENTENCE_MAX, 'Below it, after minutes'),
    payment_unpaid_title: entry(HEADING_MAX, 'Failed or expired'),
    payment_unpaid_text: entry(SENTENCE_MAX, 'Below it'),
    payment_ended_title: entry(HEADING_MAX, 'Paid once, but refunded, charged back or revoked'),
    payment_ended_text: entry(SENTENCE_MAX, 'Below it'),
    payment_invalid_title: entry(HEADING_MAX, 'The address of the page is no link of ours'),
    payment_invalid_text: entry(SENTENCE_MAX, 'Below it'),
    payment_unknown_title: entry(HEADING_MAX, 'No such payment'),
    payment_unknown_text: entry(SENTENCE_MAX, 'Below it'),
    payment_unavailable_title: entry(HEADING_MAX, 'The payment provider does not answer'),
    payment_unavailable_text: entry(SENTENCE_MAX, 'Below it'),
    payment_cancel_title: entry(HEADING_MAX, 'The buyer went back'),
    payment_cancel_text: entry(SENTENCE_MAX, 'Below it'),
  },
  mails: {
    mail_code_subject: entry(
      80,
      'Subject; opens with the code, which lists of mails and notifications then show',
      { placeholders: ['code'], opening: 'code' },
    ),
    mail_code_intro: entry(120, 'Before the code'),
    mail_code_validity: entry(120, 'After the code; {duration} is “10 minutes” or the like', {
      placeholders: ['duration'],
    }),
    mail_code_secrecy: entry(SENTENCE_MAX, 'Nobody asks for a code'),
    mail_code_ignore: entry(SENTENCE_MAX, 'For whoever asked for no code'),
    mail_confirmed_subject: entry(80, 'Subject: the payment has arrived'),
    mail_confirmed_intro: entry(SENTENCE_MAX, 'Thanks; {amount} has its currency', {
      placeholders: ['amount'],
    }),
    mail_confirmed_access: entry(
      SENTENCE_MAX,
      'How to use it; {url} gets a line of its own, at the end',
      { placeholders: ['url'] },
    ),
    mail_confirmed_sample: entry(
      120,
      'What was bought, as a sample; {reason} is a whole text, so that nothing follows it',
      { placeholders: ['reason'] },
    ),
    mail_failed_subject: entry(80, 'Subject: a delayed payment has failed'),
    mail_failed_intro: entry(SENTENCE_MAX, 'What happened; {amount} has its currency', {
      placeholders: ['amount'],
    }),
    mail_failed_retry: entry(
      SENTENCE_MAX,
      'How to try again; {url} gets a line of its own, at the end',
      { placeholders: ['url'] },
    ),
  },
} as const
