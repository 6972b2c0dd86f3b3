/**
 * How long the page of a payment that is on its way waits before it asks again. With the checkout, the visit itself,
 * the one that shows the news and one by hand these stay within ten requests in fifteen minutes.
 */
export const REFRESH_WAITS_SECONDS = [2, 4, 8, 20, 45, 120]
