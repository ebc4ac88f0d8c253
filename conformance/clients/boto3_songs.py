"""The program of the other clients, with boto3. Reads calls as lines of JSON and answers each with a line, as soon as it is done."""

import json
import os
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key

place = json.loads(sys.argv[1])
resource = boto3.resource(
    'dynamodb',
    endpoint_url=place['endpoint'],
    region_name=place['region'],
    aws_access_key_id=place['credentials']['accessKeyId'],
    aws_secret_access_key=place['credentials']['secretAccessKey'],
)
name = place['table']['TableName']
table = resource.create_table(**place['table'])
table.wait_until_exists()
client = resource.meta.client  # unlike the table, safe to share between threads


def add(song):
    client.put_item(TableName=name, Item=song, ConditionExpression=Attr('artist').not_exists())


def find(key):
    return client.get_item(TableName=name, Key=key, ConsistentRead=True).get('Item')


def play(key):
    return client.update_item(
        TableName=name,
        Key=key,
        UpdateExpression='ADD plays :one',
        ExpressionAttributeValues={':one': 1},
        ReturnValues='UPDATED_NEW',
    )['Attributes']['plays']


def pages_of(artist, size):
    pages = client.get_paginator('query').paginate(
        TableName=name,
        KeyConditionExpression=Key('artist').eq(artist),
        PaginationConfig={'PageSize': size},
    )
    return [page['Items'] for page in pages]


def charts(genre):
    found = client.query(
        TableName=name,
        IndexName='charts',
        KeyConditionExpression=Key('genre').eq(genre) & Key('plays').gte(0),
        ScanIndexForward=False,
    )
    return [song['title'] for song in found['Items']]


def remove(key):
    client.delete_item(TableName=name, Key=key)


def add_all(songs):
    with table.batch_writer() as batch:
        for song in songs:
            batch.put_item(Item=song)


def find_all(keys):
    waiting = {name: {'Keys': keys}}
    found = []
    while waiting:
        answer = client.batch_get_item(RequestItems=waiting)
        found += answer['Responses'][name]
        waiting = answer['UnprocessedKeys']
    return found


def replace(old, song):
    client.transact_write_items(
        TransactItems=[
            {'Delete': {'TableName': name, 'Key': old, 'ConditionExpression': 'attribute_exists(artist)'}},
            {'Put': {'TableName': name, 'Item': song, 'ConditionExpression': 'attribute_not_exists(artist)'}},
        ]
    )


calls = {
    'add': add,
    'find': find,
    'play': play,
    'pagesOf': pages_of,
    'charts': charts,
    'remove': remove,
    'addAll': add_all,
    'findAll': find_all,
    'replace': replace,
}


def plain(value):
    """Numbers are Decimal in boto3."""
    if isinstance(value, Decimal):
        return int(value)
    raise TypeError(f'{value!r} is not plain')


printing = threading.Lock()


def answer(line):
    call = json.loads(line)
    try:
        result = {'value': calls[call['name']](*call['args'])}
    except client.exceptions.ClientError as error:
        result = {'error': error.response['Error']['Code']}
    text = json.dumps({'id': call['id'], **result}, default=plain)
    with printing:  # print writes the text and the end of the line separately
        print(text, flush=True)


def answer_or_end(line):
    try:
        answer(line)
    except Exception:  # a mistake in this file, or a lost connection: the caller sees the end of the process
        traceback.print_exc()
        os._exit(1)


with ThreadPoolExecutor(8) as threads:
    list(threads.map(answer_or_end, iter(sys.stdin.readline, '')))
