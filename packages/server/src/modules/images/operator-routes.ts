import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import { deleteImageRow, operatorImageOf, selectAllImages, selectImage, setScope } from './store.ts'

/** Serves what operators do with the images of all organizations. */
export function serveImageOperations(api: Api, db: Database, shapes: Catalogue): void {
  api.serve(protocol.listAllMachineImages, async () =>
    (await selectAllImages(db)).map(row => operatorImageOf(row, shapes)),
  )

  api.serve(protocol.publishMachineImage, ({ params, body, change }) =>
    change(async tx => {
      await setScope(tx, params.imageId, body.scope)
      const image = await selectImage(tx, params.imageId)
      if (!image) throw new ApiError('image.NOT_FOUND')
      return { answer: operatorImageOf(image, shapes), target: image.id }
    }),
  )

  api.serve(protocol.removeMachineImage, ({ params, change }) =>
    change(async tx => {
      if (!(await deleteImageRow(tx, params.imageId))) throw new ApiError('image.NOT_FOUND')
      return { answer: undefined, target: params.imageId }
    }),
  )
}
