import { z } from 'zod'
import { BrowserStorage } from './browser-storage.ts'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** Where a program drives the browser of a sandbox. Each URL contains a token, and is all that a client needs. */
export const BrowserConnection = z
  .object({
    wsUrl: z
      .string()
      .describe(
        'For clients of the Chrome DevTools Protocol, such as connectOverCDP of Playwright or browserWSEndpoint of Puppeteer.',
      ),
    httpUrl: z
      .string()
      .describe('Below it are /json/version, /json/list and the rest of what a debugging port serves.'),
    expiresAt: Time.describe('When the URLs stop working and connections that they opened are closed.'),
  })
  .meta({ id: 'BrowserConnection' })
export type BrowserConnection = z.infer<typeof BrowserConnection>

const lifetime = {
  min: 10,
  max: 13 * 86_400,
  default: 3600,
  about:
    "How long the URLs work. They also end with the sandbox, with the caller's credential and with closeSandboxBrowser.",
}

const host = '(\\[[\\da-fA-F:.]+\\]|[\\w.-]+)'
const ProxyServer = z
  .string()
  .max(300)
  .regex(new RegExp(`^(http|https|socks4|socks5)://${host}(:\\d{1,5})?$`), {
    error:
      'must be a scheme, a host and a port, such as http://proxy.example:3128; credentials are not possible',
  })

/** What a browser is started with. */
export const BrowserOptions = z
  .object({
    proxy: z
      .object({
        server: ProxyServer.describe('http, https, socks4 or socks5, such as http://proxy.example:3128.'),
        bypass: z
          .array(z.string().regex(/^[\w.*:[\]/-]+$/, 'must be a host pattern, such as *.example.org'))
          .max(100)
          .default([])
          .describe('Hosts that are called directly. The own loopback of the machine always is.'),
      })
      .optional()
      .describe('The proxy for all pages.'),
    locale: z
      .string()
      .max(35)
      .regex(/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/, 'must be a language tag, such as de-DE')
      .optional()
      .describe('The language that pages are asked for and see, such as de-DE.'),
    extensions: z
      .array(z.string().regex(/^\/[^,\0]+$/, 'must be an absolute path without a comma'))
      .max(20)
      .default([])
      .describe('Folders of unpacked extensions in the sandbox.'),
  })
  .meta({ id: 'BrowserOptions' })
export type BrowserOptions = z.infer<typeof BrowserOptions>

const path = '/api/orgs/{orgId}/sandboxes/{sandboxId}/browser/cdp'
const drive = { to: 'organization', role: 'member', trial: true } as const
const startErrors = [...enterErrors, 'node.GONE', 'browser.UNAVAILABLE', 'browser.FAILED'] as const

export const connectSandboxBrowser = operation({
  id: 'connectSandboxBrowser',
  tag: 'Browsers',
  summary:
    'Get URLs with which programs drive the visible browser of a sandbox over the Chrome DevTools Protocol. Starts the browser if it does not run.',
  method: 'GET',
  path,
  access: drive,
  query: z.object({
    lifetimeSeconds: z.coerce
      .number()
      .int()
      .min(lifetime.min)
      .max(lifetime.max)
      .default(lifetime.default)
      .describe(lifetime.about),
  }),
  response: BrowserConnection,
  long: true,
  addition: true,
  errors: startErrors,
})

export const startSandboxBrowser = operation({
  id: 'startSandboxBrowser',
  tag: 'Browsers',
  summary:
    'Start the browser of a sandbox with options, and get URLs with which programs drive it. A browser that runs with the same options goes on.',
  method: 'POST',
  path,
  access: drive,
  body: BrowserOptions.extend({
    storageState: BrowserStorage.optional().describe(
      'Cookies and local storage, which are added to what the profile has.',
    ),
    lifetimeSeconds: z
      .int()
      .min(lifetime.min)
      .max(lifetime.max)
      .default(lifetime.default)
      .describe(lifetime.about),
  }).prefault({}),
  largeBody: true,
  response: BrowserConnection,
  long: true,
  addition: true,
  examples: [{ body: { locale: 'de-DE' } }],
  errors: [...startErrors, 'browser.RUNNING', 'browser.INVALID'],
})

export const closeSandboxBrowser = operation({
  id: 'closeSandboxBrowser',
  tag: 'Browsers',
  summary:
    'Close the browser that programs drive, and revoke its URLs. Its profile is kept. Succeeds if it does not run.',
  method: 'DELETE',
  path,
  access: drive,
  addition: true,
  errors: [...enterErrors, 'node.GONE'],
})
