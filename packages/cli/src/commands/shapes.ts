import { command } from '../command-definition.ts'

export default command({
  name: 'shapes',
  summary: 'List the kinds of machines that the organization can use.',
  examples: [{ command: 'sandglass shapes', explanation: 'What `--shape` accepts.' }],
  async run({ client, output, signal }) {
    const shapes = await (await client()).listShapes({}, { signal })
    output.list(shapes, {
      columns: [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'OS', value: ({ os, simulated }) => (simulated ? `${os} (simulated)` : os) },
        { title: 'PRICE', value: ({ pricePerHour }) => pricePerHour, isNumber: true },
        { title: 'KIND', value: ({ virtualization }) => virtualization, isOptional: true },
        { title: 'ARCHITECTURE', value: ({ architecture }) => architecture, isOptional: true },
        { title: 'DESCRIPTION', value: ({ description }) => description },
      ],
      nameOf: ({ name }) => name,
      empty: 'There are no shapes.',
    })
  },
})
