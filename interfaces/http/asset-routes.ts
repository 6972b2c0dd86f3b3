import { Elysia } from 'elysia'
import { ASSETS, type AssetName, assetAnswer } from './pages/assets.ts'

/** Style sheet, scripts and icon of the pages. */
export function assetRoutes(): Elysia {
  const routes = new Elysia()
  for (const name of Object.keys(ASSETS) as AssetName[]) {
    routes.get(`/assets/${name}`, ({ request }) => assetAnswer(name, request), {
      detail: { hide: true },
    })
  }
  return routes
}
