/** Where the service answers, without a slash at the end. The build writes it in. */
declare const ALIBI_URL: string
