import sys,subprocess
s=open('full.txt').read()
base="import { z } from 'zod'; import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const a = ["+"".join("{tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([])}," for _ in range(20))+"];export const c = new DynamoDBClient({});"
def cut(x,suffix=';'): return s[:s.index(x)]+suffix
v=[('base',base),('entities',cut('.relationships(')),('patterns',cut('.tables(')),('keys',cut('.served(')),('served',cut('import type { Signature')),('full',s)]
for n,t in v:
    open('large.ts','w').write(t)
    r=subprocess.run('/tmp/wt/model/node_modules/.bin/tsc -p . --extendedDiagnostics',shell=True,capture_output=True,text=True).stdout
    print(n,[l for l in r.splitlines() if 'Instantiations' in l or 'Check time' in l or 'error' in l][:4])
