import { command } from '../command-definition.ts'

export default command<{ open?: boolean }>({
  name: 'sign-in',
  summary: 'Print a link that signs a browser in to the pages of the service.',
  details:
    'Whoever opens the link is signed in with the key that is used here. It works once, within 15 minutes.',
  options: [{ flags: '--open', description: 'Open it in the browser.' }],
  examples: [{ command: 'sandglass sign-in', explanation: 'The link works once.' }],
  async run({ client, output, signal }, { options }) {
    const created = await (await client()).createSignInCode({}, { signal })
    output.done(created, created.url, created.url)
    if (options.open) await (await import('../io/open-url.ts')).openUrl(created.url)
  },
})
