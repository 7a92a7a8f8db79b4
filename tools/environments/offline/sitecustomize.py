"""No network but this machine's own, in every Python process that finds this folder on PYTHONPATH.

For systems where a process cannot get a network of its own (see tools/environments/lab_run.py). A name is looked up nowhere, and a
connection to an address outside loopback is refused, as with the cable out.
"""

import errno
import ipaddress
import socket

LOCAL = ("localhost", "", None)
look_up, whole = socket.getaddrinfo, socket.socket


def loopback(host) -> bool:
    host = host.decode() if isinstance(host, bytes) else host
    try:
        return host in LOCAL or ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:  # another machine's name
        return False


def getaddrinfo(host, *rest, **options):
    if not loopback(host):
        raise socket.gaierror(socket.EAI_AGAIN, f"no network: {host!r} is not looked up")
    return look_up(host, *rest, **options)


class Socket(whole):
    def _check(self, address) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not loopback(address[0]):
            raise OSError(errno.ENETUNREACH, f"no network: {address[0]!r} is not on this machine")

    def connect(self, address):
        self._check(address)
        return super().connect(address)

    def connect_ex(self, address):
        self._check(address)
        return super().connect_ex(address)

    def sendto(self, data, *flags_and_address):
        self._check(flags_and_address[-1])
        return super().sendto(data, *flags_and_address)


socket.socket, socket.getaddrinfo = Socket, getaddrinfo
