import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { routesAsValue } from '../../scripts/client/routes-as-value.ts'
import { referenceModules } from '../../scripts/reference/plugin.ts'

const root = import.meta.dirname

/** Every page is an HTML file here; packages/server/src/http/pages.ts says where it is served. What it needs is at /assets. */
export default defineConfig({
  root,
  logLevel: 'warn',
  esbuild: { jsx: 'automatic' },
  plugins: [tailwind(), routesAsValue(join(root, '../..')), referenceModules()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // What is small is not put into the page itself: its policy lets nothing in from there.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        dashboard: join(root, 'index.html'),
        docs: join(root, 'docs.html'),
        // scripts/guide puts the pages of the guide into it.
        guide: join(root, 'guide.html'),
        view: join(root, 'view.html'),
      },
      // Libraries say which parts a server may render, which means nothing here.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
})
