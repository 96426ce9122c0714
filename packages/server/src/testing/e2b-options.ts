import { patienceMs } from '@sandglass/machines/testing'
import type { TestService } from './test-service.ts'

/** The options with which E2B's client uses a service: its address twice, and one of its keys. */
export function e2bOptions(
  { service }: TestService,
  apiKey = service.credentials.apiKey,
): {
  readonly apiKey: string
  readonly apiUrl: string
  readonly sandboxUrl: string
  readonly validateApiKey: false
  readonly requestTimeoutMs: number
} {
  return {
    apiKey,
    apiUrl: service.url,
    sandboxUrl: service.url,
    validateApiKey: false,
    requestTimeoutMs: patienceMs,
  }
}
