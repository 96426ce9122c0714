import { readFile } from 'node:fs/promises'
import type { ClientAddress } from '@sandglass/machines/incus-setup'
import { SettingError, type SettingValues } from '../../setting-table.ts'
import { certificateFiles } from './service-certificate.ts'
import type { incusSettings } from './settings.ts'

type Values = SettingValues<typeof incusSettings>

/** Where the cluster of the settings is, with what the service needs to sign in; undefined if there is none. */
export async function clientAddress(
  values: Values,
  dataDirectory: string,
): Promise<ClientAddress | undefined> {
  const { SANDGLASS_INCUS: address } = values
  if (address === undefined || 'socket' in address) return address
  const files = certificateFiles(dataDirectory)
  const [certificate, key, serverCertificate] = await Promise.all([
    readRequired('SANDGLASS_INCUS_CERTIFICATE', values.SANDGLASS_INCUS_CERTIFICATE ?? files.certificate),
    readRequired('SANDGLASS_INCUS_KEY', values.SANDGLASS_INCUS_KEY ?? files.key),
    readRequired(
      'SANDGLASS_INCUS_SERVER_CERTIFICATE',
      values.SANDGLASS_INCUS_SERVER_CERTIFICATE ?? files.serverCertificate,
    ),
  ])
  return { urls: address.urls, certificate, key, serverCertificate }
}

async function readRequired(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const reason =
      cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'is missing' : 'cannot be read'
    throw new SettingError(
      `${file} ${reason}, with which this service signs in to Incus. Copy the folder incus from the data directory of the box on which the cluster was made, or set ${setting}.`,
      { cause },
    )
  }
}
