import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'
import type { Entry } from './entries.ts'
import { requireBuiltins, withoutPrograms } from './quick-start.ts'
import { routesAsValue } from './routes-as-value.ts'

/** Some browsers and early releases of Node 20 lack this symbol, which classes are declared with. */
const symbol = "Symbol.asyncDispose ??= Symbol.for('Symbol.asyncDispose');"

/** Bundles the entries as modules that Node 20, Deno, Bun and browsers run. */
export async function bundle(root: string, entries: readonly Entry[], outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [routesAsValue(root), withoutPrograms(), requireBuiltins()],
    // Everything is in the bundle, except for what Node has and for zod, which the types need anyway.
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir,
      target: 'es2022',
      // Errors are named after their classes, and people read the code when they debug.
      minify: false,
      rollupOptions: {
        input: Object.fromEntries(entries.map(({ name, source }) => [name, join(root, source)])),
        external: [/^node:/, /^zod/, ...builtinModules],
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'shared/[name].js',
          banner: symbol,
        },
      },
    },
  })
}
