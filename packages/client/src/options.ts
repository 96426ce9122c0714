import type { CallOptions } from './call-options.ts'

/** How to reach a service, and as whom. What is left out comes from the surroundings; see `Sandglass`. */
export interface SandglassOptions extends Pick<CallOptions, 'timeoutMs' | 'retries' | 'headers'> {
  /** The address of the service, with its base path if it has one. */
  readonly url?: string | undefined
  readonly orgId?: string | undefined
  readonly apiKey?: string | undefined
  /** A stream counts as lost when nothing has come for so long. The service says every 15 seconds that it is there. */
  readonly streamSilenceMs?: number | undefined
  /** Makes the requests in place of the global `fetch`, for example through a proxy. */
  readonly fetch?: typeof fetch | undefined
}
