import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import { selectImageBuilds } from './builds/progress.ts'
import { requireReady } from './ready-image.ts'
import { deleteImageRow, selectImage, selectOperatorImages, setScope, setWarm } from './store.ts'

/** Serves what operators do with the images of all organizations. */
export function serveImageOperations(api: Api, db: Database, shapes: Catalogue): void {
  api.serve(protocol.listAllMachineImages, () => selectOperatorImages(db, shapes))

  api.serve(protocol.listImageBuilds, () => selectImageBuilds(db))

  api.serve(protocol.updateMachineImage, ({ params: { imageId: id }, body: { scope, warm }, change }) =>
    change(async tx => {
      // Machines can be kept ready only of a disk that is complete.
      if (warm !== undefined && warm > 0) requireReady(await selectImage(tx, id))
      if (scope !== undefined) await setScope(tx, id, scope)
      if (warm !== undefined) await setWarm(tx, id, warm)
      const [image] = await selectOperatorImages(tx, shapes, id)
      if (!image) throw new ApiError('image.NOT_FOUND')
      return { answer: image, target: id }
    }),
  )

  api.serve(protocol.removeMachineImage, ({ params, change }) =>
    change(async tx => {
      if (!(await deleteImageRow(tx, params.imageId))) throw new ApiError('image.NOT_FOUND')
      return { answer: undefined, target: params.imageId }
    }),
  )
}
