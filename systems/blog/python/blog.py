"""The blog's patterns with the AWS SDK for Python, on the tables of the blog.

    python3 systems/blog/python/blog.py --endpoint http://127.0.0.1:8000 --table blog-single-table

Nothing here knows which database answers: without --endpoint it is Amazon DynamoDB. It prints, as JSON, what each
function returns for the user and the post that are named.
"""

import argparse
import json
from datetime import datetime

import boto3
from boto3.dynamodb.conditions import Key


def get_user(table, user_id, consistent=False):
    """A user, or None."""
    response = table.get_item(Key={"PK": f"USER#{user_id}", "SK": "PROFILE"}, ConsistentRead=consistent)
    return response.get("Item")


def get_post(table, post_id):
    """A post, or None."""
    return table.get_item(Key={"PK": f"POST#{post_id}", "SK": "METADATA"}).get("Item")


def get_comment(table, post_id, user_id):
    """What a user said about a post, or None."""
    return table.get_item(Key={"PK": f"POST#{post_id}", "SK": f"COMMENT#{user_id}"}).get("Item")


def list_user_posts(table, user_id, limit=20, start=None):
    """A page of posts, the newest first, and where the next page begins."""
    request = {
        "KeyConditionExpression": Key("PK").eq(f"USER#{user_id}") & Key("SK").begins_with("POST#"),
        "ScanIndexForward": False,
        "Limit": limit,
    }
    if start is not None:
        request["ExclusiveStartKey"] = start
    response = table.query(**request)
    return response["Items"], response.get("LastEvaluatedKey")


def list_user_posts_in_range(table, user_id, start: datetime, end: datetime):
    """Posts from `start` to before `end`, both in UTC and without fractions, the newest first."""
    upper = f"POST#{end.strftime('%Y-%m-%dT%H:%M:%S')}"
    condition = Key("PK").eq(f"USER#{user_id}") & Key("SK").between(
        f"POST#{start.strftime('%Y-%m-%dT%H:%M:%S')}", upper
    )
    posts = pages(table, KeyConditionExpression=condition, ScanIndexForward=False)
    # A key without the post's id behind the second equals the bound when it is at the end.
    return [post for post in posts if post["SK"] != upper]


def list_all_post_comments(table, post_id):
    """Every comment, by user."""
    return pages(table, KeyConditionExpression=Key("PK").eq(f"POST#{post_id}") & Key("SK").begins_with("COMMENT#"))


def get_profile(table, user_id, posts=5):
    """A user and the latest posts: the profile sorts behind them, and comes first backwards."""
    response = table.query(
        KeyConditionExpression=Key("PK").eq(f"USER#{user_id}") & Key("SK").between("POST#", "PROFILE"),
        ScanIndexForward=False,
        Limit=posts + 1,
    )
    items = response["Items"]
    if items and items[0]["SK"] == "PROFILE":
        return items[0], items[1:]
    return None, items[:posts]


def create_user(table, user_id, name, email, created_at: datetime):
    """Creates a user; a second one of the same id is refused."""
    table.put_item(
        Item={
            "PK": f"USER#{user_id}",
            "SK": "PROFILE",
            "entity_type": "USER",
            "user_id": user_id,
            "name": name,
            "email": email,
            "created_at": created_at.isoformat(),
        },
        ConditionExpression="attribute_not_exists(PK)",
    )


def create_post(table, user_id, post_id, title, body, created_at: datetime):
    """Creates both copies of a post at once, if there is such a user. `created_at` is in UTC."""
    second = created_at.strftime("%Y-%m-%dT%H:%M:%S")
    post = {
        "entity_type": "POST",
        "post_id": post_id,
        "user_id": user_id,
        "title": title,
        "body": body,
        "created_at": created_at.isoformat(),
    }
    new = {"TableName": table.name, "ConditionExpression": "attribute_not_exists(PK)"}
    table.meta.client.transact_write_items(
        TransactItems=[
            {"Put": {**new, "Item": {"PK": f"POST#{post_id}", "SK": "METADATA", **post}}},
            {"Put": {**new, "Item": {"PK": f"USER#{user_id}", "SK": f"POST#{second}#{post_id}", **post}}},
            {
                "ConditionCheck": {
                    "TableName": table.name,
                    "Key": {"PK": f"USER#{user_id}", "SK": "PROFILE"},
                    "ConditionExpression": "attribute_exists(PK)",
                }
            },
        ]
    )


def pages(table, **request):
    """All items of a query: page after page, until there is no key to continue from."""
    items = []
    while True:
        response = table.query(**request)
        items.extend(response["Items"])
        if "LastEvaluatedKey" not in response:
            return items
        request["ExclusiveStartKey"] = response["LastEvaluatedKey"]


def refused(error_name, call):
    """Whether a call is refused with the error of that name."""
    try:
        call()
    except Exception as error:  # the SDK makes its error classes when it runs
        return type(error).__name__ == error_name
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--endpoint")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--table", default="blog-single-table")
    parser.add_argument("--user", default="u123")
    parser.add_argument("--post", default="p456")
    parser.add_argument("--write", action="store_true", help="also creates a user and two posts")
    arguments = parser.parse_args()
    resource = boto3.resource("dynamodb", endpoint_url=arguments.endpoint, region_name=arguments.region)
    table = resource.Table(arguments.table)

    first, start = list_user_posts(table, arguments.user, limit=2)
    second, end = list_user_posts(table, arguments.user, limit=2, start=start)
    user, latest = get_profile(table, arguments.user)
    result = {
        "user": get_user(table, arguments.user, consistent=True),
        "absent": get_user(table, "u999"),
        "post": get_post(table, arguments.post),
        "posts": list_user_posts(table, arguments.user)[0],
        "pages": [first, second],
        "end": end,
        "april": list_user_posts_in_range(table, arguments.user, datetime(2024, 4, 1), datetime(2024, 5, 1)),
        "march": list_user_posts_in_range(table, arguments.user, datetime(2024, 3, 1), datetime(2024, 4, 1)),
        "comments": list_all_post_comments(table, arguments.post),
        "comment": get_comment(table, arguments.post, "u789"),
        "profile": [user, *latest],
    }
    if arguments.write:
        now = datetime(2024, 5, 2, 8, 0, 0, 123456)
        create_user(table, "u-py", "Guido", "guido@example.org", now)
        for post_id in ("p-py1", "p-py2"):
            create_post(table, "u-py", post_id, "From Python", "Both in one second.", now)
        result["written"] = [post["post_id"] for post in list_user_posts(table, "u-py")[0]]
        result["refused"] = [
            refused("ConditionalCheckFailedException", lambda: create_user(table, "u-py", "X", "x@example.org", now)),
            refused("TransactionCanceledException", lambda: create_post(table, "u-py9", "p-py9", "X", "X", now)),
        ]
    print(json.dumps(result, default=str))


if __name__ == "__main__":
    main()
