import { z } from 'zod'
import { read } from './client/answers.ts'
import type { CallOptions, IncusClient } from './client/index.ts'

const membersSchema = z.array(
  z.object({
    server_name: z.string(),
    url: z.string(),
    status: z.string(),
    message: z.string().default(''),
    roles: z.array(z.string()).nullish(),
    groups: z.array(z.string()).nullish(),
  }),
)

export interface ClusterMember {
  readonly name: string
  readonly url: string
  /** `Online`, `Offline`, `Evacuated` or `Blocked`. */
  readonly status: string
  readonly message: string
  readonly roles: readonly string[]
  readonly groups: readonly string[]
}

/** The members of a cluster. The database answers, so this works while some are dead. */
export async function listMembers(
  incus: IncusClient,
  options?: CallOptions,
): Promise<readonly ClusterMember[]> {
  const members = read(membersSchema, await incus.get('/cluster/members?recursion=1', options), 'the members')
  return members
    .map(({ server_name: name, url, status, message, roles, groups }) => ({
      name,
      url,
      status,
      message,
      roles: roles ?? [],
      groups: groups ?? [],
    }))
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** The addresses at which members are for each other, and for services. Brackets around IPv6 addresses belong to their URLs only. */
export const addressesOf = (members: readonly ClusterMember[]): string[] =>
  members.map(({ url }) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))
