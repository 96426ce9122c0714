import { engineHandles } from '../handles.ts'

export const engineName = 'qemu'
export const { handleOf, idOf } = engineHandles(engineName)
