import { join } from 'node:path'
import type { Plugin } from 'vite'
import { routes } from '../../packages/client/src/routes.ts'

/** Replaces the module of the routes by its value, so that the schemas of the protocol are not in the bundle. */
export function routesAsValue(root: string): Plugin {
  const file = join(root, 'packages/client/src/routes.ts')
  return {
    name: 'routes-as-value',
    // A development server adds a query.
    load: id =>
      id.split('?')[0] === file ? `export const routes = ${JSON.stringify(routes, undefined, 1)}` : undefined,
  }
}
