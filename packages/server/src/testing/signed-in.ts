import assert from 'node:assert/strict'
import type { Whoami } from '@sandglass/protocol'
import type { Answer, Request, TestService } from './test-service.ts'

/** A browser that is signed in to a page of the service: it has the cookie, and sends what such a page sends. */
export class SignedIn {
  readonly #service: TestService
  /** The cookie, as name=value. */
  readonly cookie: string
  readonly whoami: Whoami & { readonly session: NonNullable<Whoami['session']> }

  constructor(service: TestService, cookie: string, whoami: Whoami) {
    assert.ok(whoami.session)
    this.#service = service
    this.cookie = cookie
    this.whoami = { ...whoami, session: whoami.session }
  }

  get id(): string {
    return this.whoami.session.id
  }

  /** What a page of the service sends along with the cookie. */
  get headers(): Record<string, string> {
    return this.headersAt(this.#service)
  }

  /** The same at another node of the service. */
  headersAt({ service: { url: origin } }: TestService): Record<string, string> {
    return { cookie: this.cookie, 'x-sandglass-session': '1', 'sec-fetch-site': 'same-origin', origin }
  }

  call(method: string, path: string, request?: Request): Promise<Answer> {
    return this.on(this.#service, method, path, request)
  }

  /** Makes the call at another node of the service. */
  on(node: TestService, method: string, path: string, request: Request = {}): Promise<Answer> {
    const headers = { ...this.headersAt(node), ...request.headers }
    return node.call(method, path, { ...request, key: null, headers })
  }

  get(path: string, request?: Request): Promise<Answer> {
    return this.call('GET', path, request)
  }
}

/** Signs in with a key, which is that of the first owner by default. */
export async function signIn(
  service: TestService,
  body: object = { apiKey: service.service.credentials.apiKey },
  request: Request = {},
): Promise<SignedIn> {
  const answer = await service.post('/api/sessions', body, { key: null, ...request })
  assert.equal(answer.status, 200, answer.text)
  const [cookie = ''] = answer.headers.getSetCookie()
  return new SignedIn(service, cookie.split(';')[0] ?? '', answer.body)
}
