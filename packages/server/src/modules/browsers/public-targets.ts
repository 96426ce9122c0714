import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'

const Target = z.record(z.string(), z.unknown())
const Answer = z.union([Target, z.array(Target)])

/** Reading an answer takes time from everybody else, and a machine could serve any. */
const maxLength = 2 * 1024 * 1024

/** The path of a page, a worker or the whole browser. */
const devtoolsPath = /^\/devtools\/\w+\/[\w-]+$/

/**
 * Rewrites what a browser says about its pages and itself: its addresses are those of the machine's loopback, and become those below
 * `wsUrl`. A page could have any title, so nothing is replaced in other fields.
 */
export function publicTargets(json: string, wsUrl: string): string {
  if (json.length > maxLength) throw new ApiError('browser.FAILED')
  const answer = Answer.safeParse(parsed(json))
  if (!answer.success) throw new ApiError('browser.FAILED', { cause: answer.error })
  const { data } = answer
  return JSON.stringify(Array.isArray(data) ? data.map(one => published(one, wsUrl)) : published(data, wsUrl))
}

function published(target: z.infer<typeof Target>, wsUrl: string): z.infer<typeof Target> {
  const {
    webSocketDebuggerUrl: url,
    devtoolsFrontendUrl: frontend,
    devtoolsFrontendUrlCompat: _,
    ...rest
  } = target
  const path = typeof url === 'string' ? pathOf(url) : undefined
  if (path === undefined) return rest
  const address = `${wsUrl}${path}`
  return {
    ...rest,
    ...(frontend !== undefined && { devtoolsFrontendUrl: frontendOf(address) }),
    webSocketDebuggerUrl: address,
  }
}

/** The DevTools in the caller's own browser. Those of the guest are not served, since they would have the origin of the service. */
function frontendOf(address: string): string {
  const [scheme, rest] = address.split('://')
  return `devtools://devtools/bundled/inspector.html?${scheme}=${rest}`
}

function pathOf(url: string): string | undefined {
  const path = URL.parse(url)?.pathname
  return path !== undefined && devtoolsPath.test(path) ? path : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new ApiError('browser.FAILED', { cause })
  }
}
