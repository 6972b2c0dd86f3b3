declare const brand: unique symbol

/** A primitive that only the functions made for it can make. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
