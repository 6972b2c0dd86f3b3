/** All methods that a client makes up count as one. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Labels = { readonly method: string; readonly route: string; readonly status: string }

/** How many requests with the same labels were counted, and not yet taken. */
type Count = { readonly labels: Labels; requests: number }

/** Counts requests in plain numbers. A counter of prom-client makes a text of all labels for each. */
export function requestCounts() {
  const routes = new Map<string, Map<number, Count>>()

  function countOf(method: string, route: string, status: number): Count {
    const counts = routes.get(route) ?? new Map<number, Count>()
    const place = METHODS.indexOf(method)
    const key = status * (METHODS.length + 1) + place
    const known = counts.get(key)
    if (known) return known
    const labels = { method: METHODS[place] ?? 'other', route, status: String(status) }
    const count = { labels, requests: 0 }
    counts.set(key, count)
    routes.set(route, counts)
    return count
  }

  return {
    /** `route` and `status` are each one of a few. */
    add({ method, route, status }: { method: string; route: string; status: number }): void {
      countOf(method, route, status).requests++
    },
    /** What was counted since the last call. */
    take(): readonly Count[] {
      const taken = [...routes.values()].flatMap((counts) => [...counts.values()])
      routes.clear()
      return taken
    },
  }
}
