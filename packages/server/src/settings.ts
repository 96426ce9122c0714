import { resolve } from 'node:path'
import type { EngineDefinition } from './engines/engine-definition.ts'
import { registry } from './engines/registry.ts'
import { nearestName } from './environment/nearest-name.ts'
import {
  type Environment,
  readTable,
  type Setting,
  SettingError,
  type SettingTable,
  type SettingValues,
} from './setting-table.ts'
import { accessSettings } from './setting-tables/access-settings.ts'
import { backupSettings } from './setting-tables/backup-settings.ts'
import { keptSettings } from './setting-tables/kept-settings.ts'
import { liveSettings } from './setting-tables/live-settings.ts'
import { sandboxSettings } from './setting-tables/sandbox-settings.ts'
import { serviceSettings } from './setting-tables/service-settings.ts'
import { lastUdpPort } from './setting-tables/values.ts'

/** The settings of the service itself. Each engine has its own table. */
export const settingTable = {
  ...serviceSettings,
  ...sandboxSettings,
  ...liveSettings,
  ...keptSettings,
  ...backupSettings,
  ...accessSettings,
} as const satisfies SettingTable

export type Settings = SettingValues<typeof settingTable>

/**
 * Reads the settings of the service from an environment. It throws a {@link SettingError} for an invalid or unknown
 * setting, including an invalid setting of an engine that is not used.
 */
export function readSettings(env: Environment, engines: readonly EngineDefinition[] = registry): Settings {
  requireKnown(env, engines)
  const values = readTable(settingTable, env)
  for (const { settings } of engines) readTable(settings, env)
  requireTogether(values, ['SANDGLASS_TLS_CERT', 'SANDGLASS_TLS_KEY'])
  requireTogether(values, [
    'SANDGLASS_S3_ENDPOINT',
    'SANDGLASS_S3_BUCKET',
    'SANDGLASS_S3_ACCESS_KEY_ID',
    'SANDGLASS_S3_SECRET_ACCESS_KEY',
  ])
  requireTogether(values, [
    'SANDGLASS_BACKUP_S3_ENDPOINT',
    'SANDGLASS_BACKUP_S3_ACCESS_KEY_ID',
    'SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY',
  ])
  if (values.SANDGLASS_BACKUP_HOURS && !values.SANDGLASS_BACKUP_TO)
    throw new SettingError('SANDGLASS_BACKUP_HOURS requires SANDGLASS_BACKUP_TO.')
  if (values.SANDGLASS_OIDC_ISSUER)
    requireTogether(values, ['SANDGLASS_OIDC_ISSUER', 'SANDGLASS_OIDC_AUDIENCE'])
  if (values.SANDGLASS_OIDC_CLIENT_ID)
    requireTogether(values, ['SANDGLASS_OIDC_ISSUER', 'SANDGLASS_OIDC_CLIENT_ID'])
  if (values.SANDGLASS_OIDC_CLIENT_SECRET)
    requireTogether(values, ['SANDGLASS_OIDC_CLIENT_ID', 'SANDGLASS_OIDC_CLIENT_SECRET'])
  requireSeparateDomains(values)
  if (values.SANDGLASS_LIVE_UDP_PORT === undefined && values.SANDGLASS_PORT > lastUdpPort)
    throw new SettingError(
      `SANDGLASS_PORT leaves no room for the three UDP ports of the live view, which follow it; set SANDGLASS_LIVE_UDP_PORT as well.`,
    )
  if (values.SANDGLASS_SECRET_KEY && values.SANDGLASS_SECRET_KEY_FILE)
    throw new SettingError('Set SANDGLASS_SECRET_KEY or SANDGLASS_SECRET_KEY_FILE, not both.')
  if (values.SANDGLASS_DATABASE_OWNER_URL && !values.DATABASE_URL)
    throw new SettingError(
      'SANDGLASS_DATABASE_OWNER_URL requires DATABASE_URL, the URL of the same database for the service.',
    )
  return values
}

/** The first of the UDP ports of the live view. They follow the port of the API, so that two services do not collide. */
export const liveUdpPort = (
  settings: Pick<Settings, 'SANDGLASS_LIVE_UDP_PORT' | 'SANDGLASS_PORT'>,
): number | 'none' => settings.SANDGLASS_LIVE_UDP_PORT ?? settings.SANDGLASS_PORT

/** The files that settings name, as absolute paths, by setting. */
export function filesOfSettings(
  env: Environment,
  engines: readonly EngineDefinition[] = registry,
): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [name, { file }] of knownSettings(engines))
    if (file && env[name]) files[name] = resolve(env[name])
  return files
}

export type KnownSettings = ReadonlyMap<string, Setting>

/** The settings of the service and of these engines, by name. */
export function knownSettings(engines: readonly EngineDefinition[] = registry): KnownSettings {
  const tables: readonly SettingTable[] = [settingTable, ...engines.map(({ settings }) => settings)]
  return new Map(tables.flatMap(table => Object.entries(table)))
}

/** The sentence about a name that is not a setting. */
export function unknownSetting(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  const hint = nearest === undefined ? '' : ` Do you mean ${nearest}?`
  return `${name} is not a setting.${hint} docs/settings.md lists them all.`
}

/** The variables of clients, which a shell has after it has read data/env. The service does not use them. */
const clientVariables = [
  'SANDGLASS_URL',
  'SANDGLASS_ORG',
  'SANDGLASS_API_KEY',
  'SANDGLASS_PROFILE',
  'SANDGLASS_DEBUG',
]

function requireKnown(env: Environment, engines: readonly EngineDefinition[]): void {
  const known = knownSettings(engines)
  for (const name of Object.keys(env))
    if (name.startsWith('SANDGLASS_') && !known.has(name) && !clientVariables.includes(name))
      throw new SettingError(unknownSetting(name, known.keys()))
}

/** Only mapped ports are served below the domain of the mappings, so the API cannot be there. */
function requireSeparateDomains({
  SANDGLASS_MAPPING_DOMAIN: domain,
  SANDGLASS_PUBLIC_URL: url,
}: Settings): void {
  if (domain === undefined || url === undefined) return
  if (new URL(url).hostname.endsWith(`.${domain.replace(/:\d+$/, '')}`))
    throw new SettingError(
      `SANDGLASS_PUBLIC_URL is below SANDGLASS_MAPPING_DOMAIN, where only mapped ports answer; use a separate domain for mappings.`,
    )
}

function requireTogether(values: Settings, names: readonly (keyof Settings)[]): void {
  const missing = names.find(name => values[name] === undefined)
  if (missing !== undefined && names.some(name => values[name] !== undefined))
    throw new SettingError(`${missing} is missing: set ${names.join(' and ')} together.`)
}
