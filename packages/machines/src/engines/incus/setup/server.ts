import { z } from 'zod'
import { read } from '../client/answers.ts'
import type { CallOptions, IncusClient } from '../client/index.ts'

const serverSchema = z.object({
  api_extensions: z.array(z.string()),
  auth: z.string(),
  config: z.record(z.string(), z.string()).nullish(),
  environment: z
    .object({
      server_name: z.string().default(''),
      server_version: z.string().default(''),
      server_clustered: z.boolean().default(false),
      certificate: z.string().default(''),
      driver: z.string().default(''),
      storage_supported_drivers: z.array(z.object({ Name: z.string() })).nullish(),
    })
    .partial()
    .nullish(),
})

/** A member, or a server that is in no cluster yet, as it describes itself. */
export interface IncusServer {
  readonly name: string
  readonly version: string
  readonly isClustered: boolean
  /** Whether it lets us do anything. */
  readonly isTrusted: boolean
  readonly config: Readonly<Record<string, string>>
  /** In PEM. In a cluster, all members have the same. */
  readonly certificate: string
  readonly storageDrivers: readonly string[]
  readonly hasVirtualMachines: boolean
  readonly extensions: ReadonlySet<string>
}

/** Asks a server about itself: that which the client reaches, or another member. */
export async function readServer(
  incus: IncusClient,
  member?: string,
  options?: CallOptions,
): Promise<IncusServer> {
  const path = member === undefined ? '' : `?target=${encodeURIComponent(member)}`
  const { api_extensions, auth, config, environment } = read(
    serverSchema,
    await incus.get(path, options),
    'a server',
  )
  return {
    name: environment?.server_name ?? '',
    version: environment?.server_version ?? '',
    isClustered: environment?.server_clustered ?? false,
    isTrusted: auth === 'trusted',
    config: config ?? {},
    certificate: environment?.certificate ?? '',
    storageDrivers: (environment?.storage_supported_drivers ?? []).map(({ Name }) => Name),
    hasVirtualMachines: /\bqemu\b/.test(environment?.driver ?? ''),
    extensions: new Set(api_extensions),
  }
}
