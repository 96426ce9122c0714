import type { BrowserEndpoint } from '@sandglass/machines/contract'
import { ApiError, type BrowserStorage } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { z } from 'zod'
import { Devtools, DevtoolsError } from './devtools.ts'

const patienceMs = 60_000

const Nothing = z.unknown()
const Created = z.object({ targetId: z.string() })
const Attached = z.object({ sessionId: z.string() })
const Navigated = z.object({ errorText: z.string().optional() })
const Evaluated = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.object({ exception: z.object({ description: z.string() }).optional() }).optional(),
})
const Paused = z.object({ requestId: z.string() })

/** Adds cookies and local storage to what a browser has. */
export async function putStorage(
  machine: Pick<RunningMachine, 'dial'>,
  { port, path }: BrowserEndpoint,
  { cookies, origins }: BrowserStorage,
): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs)
  const connection = await machine.dial(`tcp:127.0.0.1:${port}`, { signal }).catch(cause => {
    throw new ApiError('browser.FAILED', { cause })
  })
  try {
    using devtools = await Devtools.open(connection, `127.0.0.1:${port}`, path, signal)
    if (cookies.length > 0)
      await devtools.send(Nothing, 'Storage.setCookies', { cookies: cookies.map(cookieOf) })
    const stored = origins.filter(({ localStorage }) => localStorage.length > 0)
    if (stored.length > 0) await putLocalStorage(devtools, stored)
  } catch (cause) {
    if (!(cause instanceof DevtoolsError)) throw cause
    throw new ApiError('browser.INVALID', {
      message: `The browser refuses storageState: ${cause.message}`,
      cause,
    })
  } finally {
    connection.destroy()
  }
}

function cookieOf({ expires, partitionKey, ...cookie }: BrowserStorage['cookies'][number]) {
  return {
    ...cookie,
    ...(expires >= 0 && { expires }),
    ...(partitionKey !== undefined && {
      partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: false },
    }),
  }
}

/** Opens an empty page of each origin, for which nothing is requested from the network, and fills the storage there. */
async function putLocalStorage(devtools: Devtools, origins: BrowserStorage['origins']): Promise<void> {
  const { targetId } = await devtools.send(Created, 'Target.createTarget', {
    url: 'about:blank',
    background: true,
  })
  try {
    const target = { targetId, flatten: true }
    const { sessionId } = await devtools.send(Attached, 'Target.attachToTarget', target)
    devtools.onEvent = (method, params, of) => {
      const paused =
        method === 'Fetch.requestPaused' && of === sessionId ? Paused.safeParse(params) : undefined
      if (paused?.success) answerEmpty(devtools, paused.data.requestId, sessionId)
    }
    await devtools.send(Nothing, 'Fetch.enable', {}, sessionId)
    for (const { origin, localStorage } of origins) await fill(devtools, sessionId, origin, localStorage)
  } finally {
    await devtools.send(Nothing, 'Target.closeTarget', { targetId })
  }
}

function answerEmpty(devtools: Devtools, requestId: string, sessionId: string): void {
  const responseHeaders = [{ name: 'content-type', value: 'text/html' }]
  const answer = { requestId, responseCode: 200, responseHeaders, body: '' }
  // If it fails, the page does not load, which is noticed.
  devtools.send(Nothing, 'Fetch.fulfillRequest', answer, sessionId).catch(() => {})
}

async function fill(
  devtools: Devtools,
  sessionId: string,
  origin: string,
  items: BrowserStorage['origins'][number]['localStorage'],
): Promise<void> {
  const { errorText } = await devtools.send(Navigated, 'Page.navigate', { url: `${origin}/` }, sessionId)
  if (errorText) throw new DevtoolsError(`${origin}: ${errorText}`)
  const expression = `for (const { name, value } of ${JSON.stringify(items)}) localStorage.setItem(name, value)
location.origin`
  const { result, exceptionDetails } = await devtools.send(
    Evaluated,
    'Runtime.evaluate',
    { expression },
    sessionId,
  )
  if (exceptionDetails)
    throw new DevtoolsError(`${origin}: ${exceptionDetails.exception?.description ?? 'it failed'}`)
  if (result.value !== origin) throw new ApiError('browser.FAILED')
}
