/** A process that reads one path from a git host, by the proxy of its environment. Prints the outcome. */
import { readFile } from 'node:fs/promises'
import { openClient } from '#tests/adapters/hosts/hosted/open-client.ts'

const [, , root = '', authorityFile = ''] = process.argv
const authority = await readFile(authorityFile, 'utf8')
const answer = await openClient(root, { authority }).client.read('/a')
console.log(JSON.stringify(answer.ok ? answer.value.json : answer.error))
