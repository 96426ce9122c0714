import type { Extension } from '@codemirror/state'

/** The languages that the editor knows, by the ending of a name. Each is loaded when it is needed. */
const languages: readonly (readonly [RegExp, () => Promise<Extension>])[] = [
  [/\.(c|m)?jsx?$/, async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true })],
  [
    /\.(c|m)?tsx?$/,
    async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: true }),
  ],
  [/\.(json|jsonc|webmanifest)$/, async () => (await import('@codemirror/lang-json')).json()],
  [/\.pyw?$/, async () => (await import('@codemirror/lang-python')).python()],
  [/\.(md|markdown)$/, async () => (await import('@codemirror/lang-markdown')).markdown()],
  [/\.(html?|svg|xml)$/, async () => (await import('@codemirror/lang-html')).html()],
  [/\.css$/, async () => (await import('@codemirror/lang-css')).css()],
]

export async function languageOf(name: string): Promise<Extension> {
  const found = languages.find(([ending]) => ending.test(name.toLowerCase()))
  return found ? await found[1]() : []
}
