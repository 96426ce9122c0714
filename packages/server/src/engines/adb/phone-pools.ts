import { readFile } from 'node:fs/promises'
import type { PhonePool } from '@sandglass/machines/adb'
import { parseAddress } from '@sandglass/machines/phone-address'
import { z } from 'zod'
import type { CatalogueShape } from '../../modules/shapes/catalogue.ts'

const resetHelp =
  'says how a phone is made as new between tenants: write {"command": ["/path/to/script"]}, or "none" where tenants may find what others left'

const Pool = z.strictObject({
  devices: z
    .array(
      z
        .string()
        .refine(
          address => parseAddress(address),
          'must be host:port of an adbd, or adb:SERIAL of a device that an adb server has',
        ),
    )
    .min(1, 'names at least one device'),
  reset: z.union(
    [
      z.literal('none'),
      z.strictObject({
        command: z.array(z.string().min(1)).min(1),
        timeoutSeconds: z.number().positive().max(3600).default(300),
      }),
    ],
    resetHelp,
  ),
})

const PoolsFile = z
  .strictObject({
    pools: z.record(
      z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be small letters, digits and hyphens'),
      Pool,
    ),
  })
  .superRefine(({ pools }, context) => {
    const seen = new Set<string>()
    for (const [name, { devices }] of Object.entries(pools))
      devices.forEach((address, index) => {
        if (seen.has(address))
          context.addIssue({
            code: 'custom',
            path: ['pools', name, 'devices', index],
            message: `repeats ${address}; a phone can be in one pool only`,
          })
        seen.add(address)
      })
  })

export type PhonePools = Readonly<Record<string, PhonePool>>

/** Reads the pools of phones from the operator's file. Throws an error that lists every problem if the file is not valid. */
export async function readPhonePools(file: string): Promise<PhonePools> {
  const text = await readFile(file, 'utf8').catch(cause => {
    throw new Error(`The phone pools ${file} cannot be read: ${cause.message}`, { cause })
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new Error(`The phone pools ${file} are not valid JSON.`, { cause })
  }
  const result = PoolsFile.safeParse(json)
  if (result.success) return result.data.pools
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`The phone pools ${file} are not valid: ${problems.join('; ')}.`)
}

/** Throws if a phone shape names a pool that does not exist, because no machine of it could ever be created. */
export function requirePools(shapes: readonly CatalogueShape[], pools: PhonePools): void {
  const known = Object.keys(pools)
  for (const { name, engine, image } of shapes)
    if (engine === 'adb' && !known.includes(image))
      throw new Error(
        known.length === 0
          ? `The shape ${name} is a phone of the pool ${image}, and there are no pools: set SANDGLASS_PHONES (docs/phones.md).`
          : `The shape ${name} is a phone of the pool ${image}, which is not in SANDGLASS_PHONES; that has ${known.join(', ')}.`,
      )
}
