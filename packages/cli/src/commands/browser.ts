import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'
import { parseDuration } from '../quantities.ts'

export default command<{ for?: number; close?: boolean }>({
  name: 'browser',
  summary: 'Print a URL with which programs drive the browser of a sandbox.',
  details:
    'The browser is started if it does not run. The URL is for clients of the Chrome DevTools Protocol, such as connectOverCDP of ' +
    'Playwright; whoever has it can drive the browser.',
  arguments: [{ syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' }],
  options: [
    {
      flags: '--for <time>',
      description: 'How long the URL works, such as 10m or 2d (1h).',
      parse: parseDuration,
    },
    { flags: '--close', description: 'Close the browser and revoke its URLs instead.' },
  ],
  examples: [
    { command: 'sandglass browser ID --for 10m', explanation: 'A URL that works for ten minutes.' },
    { command: 'sandglass browser ID --close', explanation: 'Close the browser again.' },
  ],
  async run(context, { args: [sandbox = ''], options }) {
    const { client, output, signal } = context
    const id = await findSandboxId(context, sandbox)
    const { Sandbox } = await import('@sandglass/client')
    const { browser } = Sandbox.connect(id, { client: await client() })
    if (options.close) {
      await browser.close({ signal })
      output.done({ id, closed: true }, id, 'The browser is closed, and its URLs are revoked.')
      return
    }
    const urls = await browser.cdp({ signal, lifetimeSeconds: options.for })
    output.done(urls, urls.wsUrl, urls.wsUrl)
  },
})
