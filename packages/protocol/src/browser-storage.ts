import { z } from 'zod'

const StoredCookie = z.object({
  name: z.string().describe('The name of the cookie.'),
  value: z.string().describe('The value of the cookie.'),
  domain: z
    .string()
    .min(1)
    .max(255)
    .describe('The host that gets it; with a dot in front, hosts below it too.'),
  path: z.string().startsWith('/').default('/').describe('Only paths below it get the cookie.'),
  expires: z.number().default(-1).describe('Seconds since 1970; -1 for a cookie that ends with the browser.'),
  httpOnly: z.boolean().default(false).describe('Whether scripts of pages cannot read it.'),
  secure: z.boolean().default(false).describe('Whether it is sent over HTTPS only.'),
  sameSite: z
    .enum(['Strict', 'Lax', 'None'])
    .default('Lax')
    .describe('Whether requests of other sites send it.'),
  partitionKey: z.string().optional().describe('The site below which a partitioned cookie was set.'),
})

const Origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https origin, such as https://example.org' })
  .refine(
    // This is asked of what is no URL too.
    text => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin without a path, such as https://example.org',
  )

/** Cookies and local storage, in the format that Playwright's `storageState` writes. What else it contains is left out. */
export const BrowserStorage = z
  .object({
    cookies: z.array(StoredCookie).max(3000).default([]).describe('The cookies.'),
    origins: z
      .array(
        z.object({
          origin: Origin.describe('The origin that the storage belongs to, such as https://example.org.'),
          localStorage: z
            .array(
              z.object({
                name: z.string().describe('The name of the entry.'),
                value: z.string().describe('The value of the entry.'),
              }),
            )
            .default([])
            .describe('The entries of its local storage.'),
        }),
      )
      .max(100)
      .default([])
      .describe('The local storage of each origin.'),
  })
  .meta({ id: 'BrowserStorage' })
export type BrowserStorage = z.infer<typeof BrowserStorage>
