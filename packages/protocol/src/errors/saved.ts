import type { ErrorDefinition } from './definition.ts'

/** Errors of what outlives a sandbox. */
export const savedErrors = {
  'image.NOT_FOUND': {
    status: 404,
    message: 'This image does not exist.',
    hint: 'Call listMachineImages to see the images that the organization can use.',
  },
  'image.NOT_READY': {
    status: 409,
    message: 'The image is not READY.',
    hint: 'Call listMachineImages to see its status; create another image if it is in ERROR.',
  },
  'image.NOT_OWN': {
    status: 403,
    message: 'The image belongs to another organization, which shares it with everybody.',
    hint: 'Only its organization and the operator can delete it.',
  },
  'image.TOO_MANY_FILES': {
    status: 429,
    message: 'The organization is exporting and importing as many images as it can at once.',
    hint: 'Retry when one of them has ended.',
  },
  'image.UNREADABLE': {
    status: 409,
    message: 'The files of the image cannot be put into one file.',
    hint: 'Create a sandbox from the image, repair what the message names, and create another image from it.',
  },
  'image.FILE': {
    status: 400,
    message: 'The file is not an image that can be imported.',
    hint: 'Send a file that exportMachineImage returned, unchanged and whole.',
  },
  'image.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of images.',
    hint: 'Delete an image first.',
  },
  'snapshot.NOT_FOUND': {
    status: 404,
    message: 'This snapshot does not exist.',
    hint: 'Call listSandboxSnapshots to see the snapshots of the sandbox.',
  },
  'snapshot.NOT_READY': {
    status: 409,
    message: 'The snapshot is not READY.',
    hint: 'Call listSandboxSnapshots to see its status; create another snapshot if it is in ERROR.',
  },
  'snapshot.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of snapshots.',
    hint: 'Delete a snapshot first.',
  },
  'snapshot.UNSUPPORTED': {
    status: 409,
    message: 'The disks of machines of this shape cannot be saved.',
    hint: 'Use a sandbox of another shape.',
  },
  'snapshot.NO_MEMORY': {
    status: 409,
    message: 'Machines of this shape cannot keep their memory, only their disk.',
    hint: 'Leave memory out: programs start again and find their files. To keep programs as they are, call pauseSandbox.',
  },
  'volume.NOT_FOUND': {
    status: 404,
    message: 'This volume does not exist.',
    hint: 'Call listVolumes to see the volumes of the organization.',
  },
  'volume.NOT_READY': {
    status: 409,
    message: 'The volume is not READY.',
    hint: 'Call listVolumes to see its status and the reason.',
  },
  'volume.EXISTS': {
    status: 409,
    message: 'The organization already has a volume with this name.',
    hint: 'Choose another name, or use the volume that exists.',
  },
  'volume.IN_USE': {
    status: 409,
    message: 'A sandbox has the volume. Either one sandbox can write to a volume, or several can read it.',
    hint: 'Call listVolumes, or listAllVolumes as the operator, to see which sandboxes have it, and delete them first.',
  },
  'volume.ELSEWHERE': {
    status: 409,
    message: 'The volumes, or the volume and the image, are on different nodes.',
    hint: 'Call listVolumes to see their nodes, and use volumes of one node.',
  },
  'volume.UNSUPPORTED': {
    status: 409,
    message: 'Machines of this shape cannot have volumes.',
    hint: 'Use another shape. If no volume can be created, ask the operator for a node with machines.',
  },
  'volume.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of volumes.',
    hint: 'Delete a volume first.',
  },
  'volume.TOO_LARGE': {
    status: 409,
    message: 'The volumes of the organization would be larger than its plan allows.',
    hint: 'Choose a smaller size, or delete a volume first.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
