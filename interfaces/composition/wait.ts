/**
 * Resolves after so many milliseconds, or as soon as `until` is aborted, and does not keep the process alive for it.
 */
export function wait(milliseconds: number, until?: AbortSignal): Promise<void> {
  if (until?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    function end() {
      clearTimeout(timer)
      until?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds).unref()
    until?.addEventListener('abort', end)
  })
}
