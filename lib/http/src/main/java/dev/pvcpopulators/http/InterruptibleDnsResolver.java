package dev.pvcpopulators.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.http.conn.DnsResolver;

/// A DNS resolver whose lookups can be interrupted. It runs each lookup on a separate thread,
/// because the system's lookup ignores interrupts and can take half a minute or more if no name
/// server answers. The thread of an abandoned lookup ends when the system's lookup ends.
record InterruptibleDnsResolver(DnsResolver lookup) implements DnsResolver {
  /// Resolves a name.
  ///
  /// @throws UnknownHostException if the lookup fails, or if the calling thread is interrupted; an
  ///   interrupted thread keeps its interrupt status
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
