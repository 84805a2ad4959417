package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.client.ApiServer;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.inject.Inject;
import java.util.List;

/// The entry point of the operator's process.
@QuarkusMain
public final class Main implements QuarkusApplication {
  private final Controller controller;

  @Inject
  Main(Controller controller) {
    this.controller = controller;
  }

  public static void main(String... arguments) {
    if (List.of(arguments).contains("--help")) {
      System.out.print(Usage.TEXT);
      return;
    }
    ApiServer.connect();
    Quarkus.run(Main.class, arguments);
  }

  @Override
  public int run(String... arguments) {
    controller.start();
    Quarkus.waitForExit();
    return 0;
  }
}
