package dev.pvcpopulators.it.contract;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.Recipe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The subject of http-copy: a qcow2 image on a web server behind a valve.
record HttpCopySubject(Path disk, Path other, HttpServer server, Valve valve)
    implements ContractSubject {
  private static final Seed SEED = Seed.of("HttpCopySubject");

  static HttpCopySubject in(Path directory) throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(directory, SEED.random());
    Path place = Files.createDirectory(directory.resolve("other"));
    Path other = Recipe.raw().getFirst().make(place, SEED.random(1));
    HttpServer server =
        SimpleFileServer.createFileServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            directory.toAbsolutePath(),
            SimpleFileServer.OutputLevel.NONE);
    server.start();
    return new HttpCopySubject(disk, other, server, Valve.before(server.getAddress().getPort()));
  }

  private String url(String file) {
    return valve.base() + "/" + file;
  }

  @Override
  public Container container(Path volume) throws IOException {
    return Container.on("http-copy", volume)
        .with("HTTP_COPY_URL", url(disk.getFileName().toString()))
        .with("HTTP_COPY_ALLOWED_HOSTS", valve.address())
        .with("HTTP_COPY_INSECURE_HOSTS", valve.address());
  }

  @Override
  public Container refusing(Path volume) throws IOException {
    return container(volume).with("HTTP_COPY_URL", url("missing"));
  }

  @Override
  public Refusal refusal() {
    return new Refusal(404, "source-not-found", CopyOutcome.EX_NOINPUT);
  }

  @Override
  public void hold() {
    try {
      valve.only(Files.size(disk) / 2);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Half half(Service service) {
    return ContractSubject.behind(valve);
  }

  @Override
  public void feed(Service service) {}

  @Override
  public void feedRefused(Service service) {}

  @Override
  public Optional<String> refusedBody() {
    return Optional.of("url: " + url("missing") + "\n");
  }

  @Override
  public Optional<String> otherBody() {
    return Optional.of("url: " + url("other/" + other.getFileName()) + "\n");
  }

  @Override
  public boolean grows() {
    return false;
  }

  @Override
  public void assertMade(Path volume, Answer json) throws IOException, InterruptedException {
    HttpUploadSubject.assertDisk(volume, disk, json);
  }

  @Override
  public void close() throws IOException {
    valve.close();
    server.stop(0);
  }
}
