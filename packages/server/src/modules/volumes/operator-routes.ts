import * as protocol from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { deleteVolume, selectAllVolumes } from './store.ts'

/** Serves what operators do with the volumes of all organizations. */
export function serveVolumeOperations(api: Api, db: Database): void {
  api.serve(protocol.listAllVolumes, () => selectAllVolumes(db))

  api.serve(protocol.removeVolume, ({ params, change }) =>
    change(async tx => {
      await deleteVolume(tx, params.volumeId)
      return { answer: undefined, target: params.volumeId }
    }),
  )
}
