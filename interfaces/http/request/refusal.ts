/** Why a request is refused before any rule of the service is applied. */
export type RequestRefusal =
  | 'invalid_json'
  | 'invalid_request'
  | 'endpoint_not_found'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'too_many_bodies'
  | 'body_too_slow'
  | 'stopping'

/** The request itself cannot be read or is not let in. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'

  constructor(
    readonly reason: RequestRefusal,
    options?: { cause: unknown },
  ) {
    super(reason, options)
  }
}
