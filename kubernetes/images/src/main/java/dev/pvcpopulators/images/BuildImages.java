package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.InsecureRegistryException;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.RegistryUnauthorizedException;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutionException;

/// Builds the services' container images; [Arguments#USAGE] describes the arguments.
///
/// The exit status is one of sysexits.h.
public final class BuildImages {
  private static final int OK = 0;
  private static final int USAGE = 64;
  private static final int NO_INPUT = 66;
  private static final int UNAVAILABLE = 69;
  private static final int SOFTWARE = 70;
  private static final int IO_ERROR = 74;
  private static final int NO_PERMISSION = 77;

  private BuildImages() {}

  /// Builds the images and ends the JVM with the exit status.
  public static void main(String[] words) {
    System.exit(run(List.of(words)));
  }

  static int run(List<String> words) {
    if (words.contains("--help")) {
      System.out.print(Arguments.USAGE);
      return OK;
    }
    Arguments arguments;
    try {
      arguments = Arguments.parse(words);
    } catch (UsageException e) {
      System.err.println(e.getMessage() + "\n\n" + Arguments.USAGE);
      return USAGE;
    }
    ImageBuild build = new ImageBuild(arguments);
    for (String service : arguments.services()) {
      int status = make(build, service);
      if (status != OK) {
        return status;
      }
    }
    return OK;
  }

  private static int make(ImageBuild build, String service) {
    try {
      build.build(service).forEach(System.out::println);
      return OK;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed(service, e);
    } catch (ExecutionException e) {
      return failed(service, e.getCause() == null ? e : e.getCause());
    } catch (IOException
        | RegistryException
        | InvalidImageReferenceException
        | CacheDirectoryCreationException e) {
      return failed(service, e);
    }
  }

  private static int failed(String service, Throwable reason) {
    System.err.println("Cannot make the image of " + service + ": " + words(reason));
    return status(reason);
  }

  private static String words(Throwable reason) {
    return switch (reason) {
      case NoSuchFileException e -> e.getFile() + " is not there; base.sh and stage.sh make it";
      case InsecureRegistryException e -> e.getMessage() + " (--insecure allows others)";
      case RegistryException e -> String.valueOf(e.getMessage());
      default -> reason.toString();
    };
  }

  private static int status(Throwable reason) {
    return switch (reason) {
      case NoSuchFileException _ -> NO_INPUT;
      case InvalidImageReferenceException _ -> USAGE;
      case RegistryUnauthorizedException _ -> NO_PERMISSION;
      case RegistryException _, SocketException _, UnknownHostException _ -> UNAVAILABLE;
      case IOException _, CacheDirectoryCreationException _ -> IO_ERROR;
      default -> SOFTWARE;
    };
  }
}
