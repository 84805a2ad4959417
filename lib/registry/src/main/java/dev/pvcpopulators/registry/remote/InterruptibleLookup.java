package dev.pvcpopulators.registry.remote;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.http.conn.DnsResolver;

/// Looks names up on threads of their own, because the system's lookup heeds no interrupt and takes
/// half a minute and more where name servers do not answer. One that nobody waits for any more ends
/// by itself.
final class InterruptibleLookup implements DnsResolver {
  private final DnsResolver lookup;

  InterruptibleLookup(DnsResolver lookup) {
    this.lookup = lookup;
  }

  /// @throws UnknownHostException also where the thread is interrupted, and still is then
  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    FutureTask<InetAddress[]> task = new FutureTask<>(() -> lookup.resolve(host));
    Thread.ofPlatform().daemon().name("name-lookup").start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(host, e);
    } catch (ExecutionException e) {
      throw unknown(host, e.getCause() == null ? e : e.getCause());
    }
  }

  private static UnknownHostException unknown(String host, Throwable cause) {
    UnknownHostException unknown = new UnknownHostException(host);
    unknown.initCause(cause);
    return unknown;
  }
}
