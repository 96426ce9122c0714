import { defineConfig } from 'vite'

/** Every page is an HTML file here; the service serves it at its name without the ending, and what it needs at /assets. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  esbuild: { jsx: 'automatic' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // What is small is not put into the page itself: its policy lets nothing in from there.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { view: `${import.meta.dirname}/view.html` } },
  },
})
